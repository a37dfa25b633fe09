"""Environments that hold another one of any kind: at another pace, or in processes of their own."""
