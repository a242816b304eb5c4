"""From a question to dated evidence: small pure steps over plain data."""
