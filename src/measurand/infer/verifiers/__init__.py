"""What a second verdict says of the first: reversals, random removal, rates from a re-checked sample."""
