"""What was said becomes what may be believed: extractors read turns and propose facts."""
