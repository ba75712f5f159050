-- Earlier versions recorded a payment with the amount of an output that it did not spend, if several outputs had its key.
-- Such a store is recomputed when it is opened.
INSERT INTO meta (key, value) SELECT 'reused_keys', 'unsettled' WHERE EXISTS (SELECT 1 FROM owned_output WHERE burnt = 1)
  ON CONFLICT DO NOTHING;
