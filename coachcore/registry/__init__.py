"""Who is there: finding, naming and loading parts without importing what is not used."""
