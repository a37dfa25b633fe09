"""Value-based agents for Coach."""
