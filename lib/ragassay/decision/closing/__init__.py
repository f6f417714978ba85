"""What closes a finding and how likely a candidate meets it; its life over runs; what must happen first."""
