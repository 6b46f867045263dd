import type { TaskButton, TaskMediaKind, TaskMode, TaskPlatform, TaskStatus } from '@relay-hub/contract';
import type { ColumnType, Generated } from 'kysely';
import type { JsonColumn } from './json-column.ts';

/** A file among a task's results: at the vendor's address, or stored here. */
export interface StoredTaskMedia {
  kind: TaskMediaKind;
  /** The vendor's address; empty: it came inside an answer. */
  url: string;
  /** Media type; empty: not known. */
  type: string;
  cover: string;
  title: string;
  /** Length of a sound or video; 0: not known. */
  seconds: number;
  /** Name in the store of result files; empty: not stored. */
  stored: string;
  bytes: number;
}

export interface TasksTables {
  tasks: {
    id: Generated<number>;
    /** Our id, by which callers know the task. */
    task_id: string;
    platform: TaskPlatform;
    action: string;
    model: string;
    mode: TaskMode | '';
    /** The upstream's answer code, where the platform has one. */
    code: Generated<number>;
    status: TaskStatus;
    progress: Generated<number>;
    created_at: number;
    updated_at: number;
    submit_ms: number;
    start_ms: Generated<number>;
    finish_ms: Generated<number>;
    fail_reason: Generated<string>;
    prompt: Generated<string>;
    prompt_en: Generated<string>;
    description: Generated<string>;
    state: Generated<string>;
    buttons: ColumnType<TaskButton[], string | undefined, string>;
    data: JsonColumn<unknown> | null;
    properties: ColumnType<Record<string, unknown>, string | undefined, string>;
    /** Result files. Addresses are the vendor's. */
    media: ColumnType<StoredTaskMedia[], string | undefined, string>;
    /** State that the vendor's adapter keeps for its polls. */
    vendor: ColumnType<Record<string, unknown>, string | undefined, string>;
    /** Request fields that the caller's dialect repeats, such as model, length and size. */
    request: ColumnType<Record<string, unknown>, string | undefined, string>;
    /** Finds the task when its submission is sent again; empty: it is not. */
    request_key: Generated<string>;
    /** When its caller deleted it, in Unix seconds; it is kept for the books. 0: not deleted. */
    hidden_at: Generated<number>;
    /** The vendor's address of the picture. */
    image_url: Generated<string>;
    /** Credits charged, and how many of them the token's quota covered. Written with the charge. */
    quota: Generated<number>;
    token_quota: Generated<number>;
    refunded: Generated<boolean>;
    /** Credits of the charge that were kept, where the result decides about them; null: all, or none if refunded. */
    settled_quota: ColumnType<number | null, undefined, number>;
    /** Of the call that was charged. */
    request_id: string;
    user_id: number;
    token_id: number;
    channel_id: number;
    /** Provider, key and address of the channel at submission: the task goes on when it is changed or deleted. */
    channel_type: Generated<number>;
    key_id: number;
    key_cipher: string;
    base_url: string;
    /** Empty: not known, because the answer was lost. */
    upstream_id: Generated<string>;
    upstream_model: Generated<string>;
    parent_task_id: Generated<string>;
    notify_hook: Generated<string>;
    /** The state that was last announced to `notify_hook`. */
    notified_status: Generated<string>;
    notified_progress: Generated<number>;
    /** The node that polled last. */
    polled_by: Generated<string>;
    /** When to poll next, also the end of a running poll's lease; 0: never. Unix seconds, like the deadline. */
    next_poll_at: number;
    polls: Generated<number>;
    /** Consecutive answers of the upstream without this task. */
    missed: Generated<number>;
    /** Consecutive polls without a usable answer, and those whose answer was not understood. */
    unanswered: Generated<number>;
    odd: Generated<number>;
    /** The vendor can stop it while it runs. */
    cancellable: Generated<boolean>;
    deadline: number;
  };
  /** Rate limit of polls, for channels that take one task per request. */
  task_paces: {
    channel_id: number;
    free_at_ms: number;
  };
  /** Submissions that are running and may be sent again meanwhile. */
  task_claims: {
    request_key: string;
    created_at: number;
  };
  /** Result files that are still to be copied into the store. A row is deleted when its file is stored, or given up. */
  task_fetches: {
    id: Generated<number>;
    /** The task, which may not be written yet, and the file's index among its results. */
    task_id: string;
    position: number;
    created_at: number;
    /** When to try next, also the end of a running attempt's lease. Unix seconds. */
    next_at: number;
    attempts: Generated<number>;
  };
  /** States of tasks that are announced to the addresses of their callers. */
  task_notifications: {
    id: Generated<number>;
    /** `id` of the task. */
    task: number;
    /** The same at each attempt, so that receivers recognise repetitions. */
    message_id: string;
    is_final: boolean;
    created_at: number;
    /** When to send next, also the end of a running attempt's lease; 0: never. Unix seconds. */
    next_at: number;
    attempts: Generated<number>;
    /** 0: not delivered. */
    delivered_at: Generated<number>;
    /** Why the last attempt failed. */
    failure: Generated<string>;
  };
}
