"""From classes to scalar steps."""
