import type { Tables } from './tables.ts';

/** A column with values encrypted by `Secrets`. */
interface EncryptedColumn {
  table: keyof Tables;
  /** Key column of the row. */
  key: string;
  column: string;
  /** `whole`: each value is a cipher or empty; `some`: only some values are; `within`: ciphers inside a longer text. */
  form: 'whole' | 'some' | 'within';
}

/** All encrypted columns. A column missing here loses its secrets when the data key is rotated. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'tokens', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'repeated_requests', key: 'claim', column: 'reply_cipher', form: 'whole' },
  { table: 'redemptions', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'channel_keys', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'tasks', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'channels', key: 'id', column: 'model_headers', form: 'whole' },
  { table: 'channels', key: 'id', column: 'proxy', form: 'whole' },
  { table: 'channels', key: 'id', column: 'plugin', form: 'whole' },
  // Earlier values of the three columns above.
  { table: 'channel_undos', key: 'id', column: 'rows', form: 'within' },
  // Secret settings, and the value that identifies the key at a start.
  { table: 'options', key: 'key', column: 'value', form: 'some' },
  { table: 'payment_gateways', key: 'id', column: 'secrets_cipher', form: 'whole' },
  { table: 'bill_sources', key: 'id', column: 'key_cipher', form: 'whole' },
  { table: 'usage_exports', key: 'id', column: 'config_cipher', form: 'whole' },
  { table: 'ways', key: 'id', column: 'config_cipher', form: 'whole' },
  { table: 'stored_responses', key: 'response_id', column: 'content_cipher', form: 'whole' },
  { table: 'cached_replies', key: 'key', column: 'reply_cipher', form: 'whole' },
  { table: 'client_secrets', key: 'secret_hash', column: 'session_cipher', form: 'whole' },
  { table: 'totp', key: 'user_id', column: 'seed_cipher', form: 'whole' },
  { table: 'oauth_states', key: 'state_hash', column: 'kept', form: 'whole' },
];
