"""From features to what an agent asks for."""
