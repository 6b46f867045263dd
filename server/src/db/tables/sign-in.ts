import type { Generated } from 'kysely';

/** Verifying an address; a sign-in; a new password. */
export type MailPurpose = 'address' | 'login' | 'reset';

export interface SignInTables {
  /** Valid codes and links sent by mail. */
  mail_codes: {
    purpose: MailPurpose;
    /** Lower case. */
    email: string;
    /** SHA-256 of the requesting browser's cookie; for a link, of the link itself. */
    holder: string;
    /** Keyed with the data key: a plain hash of six digits could be reversed. */
    code_hash: string;
    user_id: number | null;
    tries: Generated<number>;
    /** Attempts from other browsers than the requesting one. */
    strange_tries: Generated<number>;
    expires_time: number;
  };
  sessions: {
    /** SHA-256 of the cookie's value. */
    id_hash: string;
    user_id: number;
    created_time: number;
    seen_time: number;
    expires_time: number;
    ip: string;
    user_agent: string;
    /** When the holder last proved their identity; a sign-in counts. */
    proved_time: Generated<number>;
  };
  /** Two-step verification; in force once confirmed. */
  totp: {
    user_id: number;
    seed_cipher: string;
    confirmed_time: Generated<number>;
    /** Time step of the last accepted code (30-second units): no code is accepted twice. */
    last_step: Generated<number>;
  };
  recovery_codes: { user_id: number; code_hash: string; used_time: Generated<number> };
  /** Sign-ins with a correct password that still need the second step. */
  login_steps: { id_hash: string; user_id: number; expires_time: number; tries: Generated<number> };
  passkeys: {
    id: Generated<number>;
    user_id: number;
    credential_id: string;
    public_key: string;
    counter: number;
    /** Comma-separated. */
    transports: string;
    name: string;
    host: string;
    synced: boolean;
    created_time: number;
    used_time: Generated<number>;
  };
  /** Challenges to sign with a passkey, valid once; `holder` is the hash of the requesting cookie. */
  passkey_challenges: { holder: string; purpose: string; challenge: string; expires_time: number };
  /** External accounts linked to an account. The pair of issuer and subject is unique and the only link. */
  identities: {
    id: Generated<number>;
    user_id: number;
    provider: string;
    /** Issuer of OpenID Connect; empty for providers with a single issuer. */
    issuer: Generated<string>;
    subject: string;
    /** The account's name at the provider, for display only. */
    name: Generated<string>;
    created_time: number;
    used_time: Generated<number>;
  };
  /** OAuth flows in progress; the callback consumes the row. */
  oauth_states: {
    state_hash: string;
    /** Empty: GitHub or Lark, for clients that do not say which. */
    provider: string;
    /** SHA-256 of the cookie of the browser that started the flow. */
    browser_hash: string;
    /** The user to link; null for a sign-in. */
    user_id: number | null;
    /** Encrypted JSON that verifies the callback. */
    kept: string;
    tries: Generated<number>;
    expires_time: number;
  };
  /** Accounts that the first sign-in with a name at a provider is bound to, once. Lower case. */
  awaited_identities: { provider: string; name: string; user_id: number };
}
