"""The live views and the desk at which a person decides."""
