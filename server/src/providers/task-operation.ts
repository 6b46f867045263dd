import type { TaskButton, TaskMediaKind, TaskMode, TaskPlatform, TaskStatus } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { lastWins, type UsageFormat } from '#usage/usage-format.ts';
import type { Operation, ProviderCall } from './operation.ts';
import type { VideoOrder } from './video-order.ts';

/**
 * Asynchronous tasks of a vendor's API: how they are submitted and polled. Two APIs of one vendor are two operations,
 * joined by `also` and told apart by `serves`. Members do no I/O. Addresses and headers are the provider's (base URL,
 * `headers`, `token`, `sign`) unless a `TaskRequest` says otherwise.
 */
export interface TaskOperation extends Operation {
  /** The dialects whose callers it serves. */
  platforms: readonly TaskPlatform[];
  /** Seconds after which an unfinished task is given up. */
  deadlineS: number;
  /** The same for orders that take longer, such as those at a reduced price; undefined: `deadlineS`. */
  longDeadlineS?(order: TaskOrder): number | undefined;
  /** Most tasks per poll. */
  batch: number;
  /**
   * The price names of an order, and its length; absent: the billed model, per call. Defaults are those of the upstream's
   * model, which is the billed one if left out. Throws `BadTaskRequest`.
   */
  quote?(order: QuotedOrder, billedModel: string, upstreamModel?: string): TaskQuote;
  /** The request that submits. It states the quoted length and quality explicitly. Throws `BadTaskRequest`. */
  submit(order: TaskOrder, call: ProviderCall): TaskRequest;
  /** Reads the answer to it; undefined for another shape (the provider's error reader then applies). */
  receipt(answer: TaskAnswer, order: TaskOrder, call: ProviderCall): TaskReceipt | undefined;
  /** The request for the state of tasks of one channel and key. */
  poll(tasks: readonly PolledTask[], call: ProviderCall): TaskRequest;
  /** Reads the answer to `poll` or `find`, of any HTTP status; undefined for another shape. */
  reports(answer: TaskAnswer, tasks: readonly PolledTask[]): TaskReport[] | undefined;
  /** Size limit of answers in bytes, for vendors that put results into them; absent: 32 MiB. */
  largestAnswer?: number;
  /** Further requests for the result of a success, where the state has none. */
  result?: TaskResultRequest;
  /** A list of recent tasks with `ownId`, to find some whose answer was lost; absent: the vendor has none. */
  find?(ownIds: readonly string[], call: ProviderCall, lost: readonly PolledTask[]): TaskRequest;
  /** Becomes the `vendor` of a task whose answer was lost, for `find` and later polls. */
  traits?(order: TaskOrder): Json;
  /** Absent: the vendor cannot cancel. */
  cancel?: {
    request(task: PolledTask, call: ProviderCall): TaskRequest;
    /** Whether the answer confirms that the task was stopped and costs nothing. */
    isCancelled(answer: TaskAnswer): boolean;
    /** The request deletes the record of a task that has ended, so it is sent only for one that is reported as waiting. */
    deletesEnded?: true;
  };
  /** Headers for fetching a result's address; undefined: none are sent. Never for another host than the vendor's. */
  mediaHeaders?(url: string, call: ProviderCall): Record<string, string> | undefined;
  /** The request for a picture's seed; absent: the vendor has none. */
  seed?(upstreamId: string): TaskRequest;
  also?: readonly TaskOperation[];
}

interface TaskResultRequest {
  /** Undefined: the report has the result already. */
  request(task: PolledTask, report: TaskReport, call: ProviderCall): TaskRequest | undefined;
  /** The completed report, which may also be a failure; undefined: ask again later. */
  read(answer: TaskAnswer, report: TaskReport): TaskReport | undefined;
}

/** A submission, in the terms of its platform. */
export interface TaskOrder {
  platform: TaskPlatform;
  /** The last part of the path in the platform's dialect, such as `imagine`. */
  kind: string;
  action: string;
  mode: TaskMode | '';
  /** The caller's request, checked by the dialect; vendors of the same dialect pass it through. */
  body: Json;
  /** The request as an order for a video, on the platforms `kling` and `video`. */
  video?: VideoOrder | undefined;
  /** Our id, for vendors that store one. */
  ownId: string;
  /** The vendor's id of the task that is followed up; empty: none. */
  parentId: string;
  /** The task that is followed up, where the vendor needs more than its id. */
  parent?: PolledTask | undefined;
  /** Where the vendor may announce progress; empty: nowhere. */
  notifyUrl: string;
}

/** The parts of an order that decide about its price. */
export type QuotedOrder = Pick<TaskOrder, 'platform' | 'kind' | 'action' | 'mode' | 'body' | 'video'>;

/** Names under which an order may be priced, most specific first; the billed model per call comes last by itself. */
export interface TaskQuote {
  prices: readonly { name: string; perSecond: boolean }[];
  /** Length that is ordered and charged where the price is per second. */
  seconds?: number;
}

export interface TaskRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Appended to the base URL. */
  path: string;
  /** Instead of the channel's base URL, for vendors with computed hosts. */
  baseUrl?: string;
  /** Added to the provider's headers. */
  headers?: Record<string, string>;
  body?: Json;
  /** A form instead of a JSON body. */
  form?: FormData;
}

export interface TaskAnswer {
  status: number;
  /** Parsed; undefined if it is not JSON. */
  json: unknown;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** For results that are not JSON. */
  bytes?: Buffer;
}

/** A submitted task, as polls need it. */
export interface PolledTask {
  upstreamId: string;
  ownId: string;
  /** The upstream's model name. */
  model: string;
  /** The receipt's `vendor`. */
  vendor: Json;
}

/** The vendor's answer to a submission. */
export type TaskReceipt =
  | (AnswerFacts & {
      kind: 'accepted';
      /** Empty: the result came at once, and there is nothing to poll. */
      upstreamId: string;
      status: Extract<TaskStatus, 'SUBMITTED' | 'QUEUED' | 'IN_PROGRESS' | 'MODAL' | 'SUCCESS'>;
      /** The result of a submission without an id. */
      result?: unknown;
      /** Files of a success. */
      media?: readonly ReportedMedia[];
      /** Kept with the task for its polls, such as addresses and keys of the vendor's own. Never shown. */
      vendor?: Json;
    })
  /** The vendor returns an earlier task: nothing new is done. */
  | (AnswerFacts & { kind: 'existing'; upstreamId: string })
  /** `isBusy`: another account or a later time may do. */
  | (AnswerFacts & { kind: 'refused'; isBusy: boolean });

interface AnswerFacts {
  /** The platform's own code; 0: it has none. */
  code: number;
  description: string;
  properties: Json;
}

/** A file among a task's results. */
export interface ReportedMedia {
  kind: TaskMediaKind;
  /** Empty if there are `bytes`. */
  url: string;
  /** A result that came inside the answer; it is stored at once. */
  bytes?: Buffer;
  /** Media type, if known. */
  type?: string;
  /** Address of a preview. */
  cover?: string;
  title?: string;
  seconds?: number;
}

/** The state of a task as the vendor reports it. Absent values are not reported and change nothing. */
export interface TaskReport {
  upstreamId: string;
  /** Our id, from vendors that return it. */
  ownId?: string;
  status: TaskStatus;
  /** A status word that is not known; the task is taken to be running. */
  unknownWord?: string;
  /** Percent. */
  progress?: number;
  startMs?: number;
  finishMs?: number;
  failReason?: string;
  prompt?: string;
  promptEn?: string;
  description?: string;
  imageUrl?: string;
  buttons?: TaskButton[];
  properties?: Json;
  /** The vendor's document as callers may see it. */
  data?: unknown;
  /** Replaces earlier files; vendors renew addresses with each answer. */
  media?: readonly ReportedMedia[];
  /** Whether there is something to show for a success. */
  hasResult: boolean;
}

/** Tasks are charged per call or second. */
export const noTokenUsage: UsageFormat = { find: () => undefined, merge: lastWins, read: () => undefined };
