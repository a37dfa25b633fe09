"""What a plugin author tests with: conformance suites a kind, toy parts, a pytest plugin."""
