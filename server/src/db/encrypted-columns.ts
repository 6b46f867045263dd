import type { Tables } from './tables.ts';

/** A column that holds what `Secrets` has encrypted. */
interface EncryptedColumn {
  table: keyof Tables;
  /** What a row is found by. */
  key: string;
  column: string;
  /** Each value is encrypted as a whole, or empty; or only some values are; or they stand within a longer text. */
  form: 'whole' | 'some' | 'within';
}

/** Every one of them: whoever stores a secret in a further column adds it, or it would be lost when the key is changed. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'tokens', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'redemptions', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'channel_keys', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'channels', key: 'id', column: 'model_headers', form: 'whole' },
  { table: 'channels', key: 'id', column: 'proxy', form: 'whole' },
  { table: 'channels', key: 'id', column: 'plugin', form: 'whole' },
  // Earlier values of the three above.
  { table: 'channel_undos', key: 'id', column: 'rows', form: 'within' },
  // Secret settings, and what a start knows the key by.
  { table: 'options', key: 'key', column: 'value', form: 'some' },
  { table: 'totp', key: 'user_id', column: 'seed_cipher', form: 'whole' },
  { table: 'oauth_states', key: 'state_hash', column: 'kept', form: 'whole' },
];
