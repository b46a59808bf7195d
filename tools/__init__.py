"""What guards and generates: linters, boundary checks, generators, set-up."""
