import type { TaskMode, TaskPlatform } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import type { TaskReceipt } from '#providers/task-operation.ts';
import type { VideoOrder } from '#providers/video-order.ts';
import type { CallRequest, FinishedCall } from '#relay/types/call-types.ts';
import type { WatchedSubmission } from './repeated-submission.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

/** How callers of a dialect submit tasks at one of its paths. */
export interface TaskSubmission {
  /** The path in logs and metrics. */
  endpoint: string;
  platform: TaskPlatform;
  /** Decides where the API key is looked for; left out: `openai`. */
  dialect?: CallRequest['dialect'];
  /** Forms are accepted in addition to JSON, see `readTaskBody`. */
  forms?: boolean;
  /** Callers of this dialect repeat submissions, see `repeated-submission.ts`. */
  repeats?: boolean;
  /** Reads a request. Throws or rejects with a `RelayError` for one that is refused. */
  order(caller: Caller, body: Json): OrderedTask | Promise<OrderedTask>;
  /** The body of the reply. The task's row exists by then. */
  reply(submitted: Submitted): Json | Promise<Json>;
}

/** A checked request. */
export interface OrderedTask {
  /** The last part of the path, see `TaskOrder`. */
  kind: string;
  action: string;
  mode: TaskMode | '';
  /** Decides about channel and price. */
  model: string;
  /** A more specific name that channels may list instead of the model; it is looked for first. */
  listedAs?: string | undefined;
  /** Sent upstream, with the changes that the provider makes. */
  body: Json;
  /** On the platforms `kling` and `video`. */
  video?: VideoOrder | undefined;
  prompt: string;
  /** Text of the caller, returned unchanged. */
  state: string;
  /** Kept with the task for later answers; the quoted `seconds` are added. */
  shown?: Json | undefined;
  notifyHook: string;
  /** The task that is followed up, on its own channel. */
  parent?: TaskRow | undefined;
  /** The parent waits for this confirmation and goes on itself. */
  confirms?: boolean;
  /** The submission, where it may be sent again. */
  watch?: Pick<WatchedSubmission, 'bodyHash' | 'requestKey'> | undefined;
  /** Ordered instead when no account is free. */
  otherwise?: OrderedTask | undefined;
}

/** A submission after the upstream's answer. */
export interface Submitted {
  taskId: string;
  /** Undefined: its answer was lost. */
  receipt: Exclude<TaskReceipt, { kind: 'refused' }> | undefined;
}

/** A submission that has ended. */
export interface FinishedTask extends FinishedCall {
  /** Undefined: it was refused. */
  submitted?: Submitted;
}
