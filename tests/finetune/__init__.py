"""Fine-tuning for real, on a tiny model that these tests make: `make test-finetune`."""
