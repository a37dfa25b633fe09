"""The `coach` command, one file a command, loaded when called."""
