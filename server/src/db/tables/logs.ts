import type { AuditDetail, AuditEntry, LogCleanup, LogMetadata } from '@relay-hub/contract';
import type { Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

export interface LogsTables {
  /** Actions of administrators, including refused ones. */
  audit: {
    id: Generated<number>;
    created_time: number;
    actor_id: number;
    actor_name: string;
    actor_role: number;
    ip: string;
    user_agent: string;
    via: AuditEntry['via'];
    method: string;
    path: string;
    kind: string;
    object_id: string;
    object_name: string;
    status: number;
    code: string;
    /** The team whose account was changed. */
    account_id: number | null;
    input: JsonColumn<AuditDetail['input']> | null;
    before: JsonColumn<AuditDetail['before']> | null;
    after: JsonColumn<AuditDetail['after']> | null;
  };
  logs: {
    id: Generated<number>;
    request_id: string;
    user_id: number;
    created_at: number;
    type: number;
    content: string;
    username: string;
    token_id: number;
    token_name: string;
    model_name: string;
    quota: number;
    prompt_tokens: number;
    completion_tokens: number;
    /** Prompt tokens served from the provider's cache, however it counts them. */
    cached_tokens: number;
    channel_id: number;
    request_time: number;
    is_stream: boolean;
    source_ip: string;
    failed: boolean;
    /** Known costs of its attempts in thousandths of a credit; null: none. */
    cost: Generated<number | null>;
    metadata: JsonColumn<LogMetadata> | null;
  };
  /**
   * Calls refused before any channel was tried; equal refusals of a token within an hour share a row. Ids start above
   * those of `logs`, see `FIRST_REFUSAL`.
   */
  refusals: {
    id: Generated<number>;
    user_id: number;
    token_id: number;
    /** Unix seconds. */
    hour: number;
    reason: string;
    /** Empty: unknown, or several if `many_models`. */
    model_name: string;
    many_models: boolean;
    code: string;
    status: number;
    count: number;
    first_time: number;
    first_request_id: string;
    /** The columns from here on describe the last call. */
    created_at: number;
    request_id: string;
    username: string;
    token_name: string;
    group_name: string;
    endpoint: string;
    source_ip: string;
    message: string;
    needed: number;
  };
  /** On PostgreSQL, sums of batches that are not in the roll-ups yet; see `pending-sums.ts`. */
  pending_sums: {
    id: Generated<number>;
    /** By the clock of the database. */
    created_time: Generated<number>;
    calls: number;
    /** Rows by table, each with the values of its columns. */
    sums: JsonColumn<Record<string, (string | number | null)[][]>>;
  };
  /** One row: the running clean-up of the log, or the last one. */
  log_cleanup: {
    id: number;
    target_timestamp: number;
    state: LogCleanup['state'];
    total: number;
    deleted: number;
    /** Calls before this time may have been deleted; later ones are complete. Roll-ups keep all. */
    cleaned_before: number;
    actor_id: number;
    node: string;
    started_time: number;
    /** Time of the last heartbeat of its node. */
    seen_time: number;
    ended_time: number;
    /** Calls that this clean-up has written into archives. */
    archived: Generated<number>;
    /** Why it made no progress when it last tried; empty: it does. */
    error: Generated<string>;
  };
  /** Files of calls that were, or are about to be, deleted from the log: those of a month, or a part of them. */
  log_archives: {
    id: Generated<number>;
    /** Start of the month; Unix seconds, UTC. */
    month: number;
    /** From 1. */
    part: number;
    /** The times of its calls, the second exclusive. */
    from_time: number;
    until_time: number;
    /** `written`: proven to be complete, and its calls may still be in the log. `done`: they are not. */
    state: 'writing' | 'written' | 'done';
    /** Name in the folder of archives. */
    file: string;
    /** The machine that wrote it. */
    host: string;
    rows: number;
    credits: number;
    bytes: number;
    /** Of the file, hexadecimal. */
    sha256: string;
    created_time: number;
  };
}
