/**
 * The shape that most vendors of videos share: an order is one request, its answer names an id, and the state of the task
 * is a document below that id. Members of a vendor replace these.
 */
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import {
  noTokenUsage,
  type PolledTask,
  type QuotedOrder,
  type ReportedMedia,
  type TaskAnswer,
  type TaskOperation,
  type TaskOrder,
  type TaskReport,
  type TaskRequest,
} from '../task-operation.ts';
import type { VideoOrder } from '../video-order.ts';
import { videoQuote, type VideoTerms } from '../video-prices.ts';
import { acceptedAs, HOUR_S, idOf, pick, type StatusTable, statusOf } from './video-fields.ts';

/** Members that are the same for most vendors. */
export const videoDefaults = {
  dialect: 'openai',
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
} as const satisfies Partial<TaskOperation>;

export interface VideoOrders<Terms extends VideoTerms> {
  /** Where orders go, unless the request says otherwise. */
  path: string;
  /** The ordered video. Throws `BadTaskRequest` for what the model cannot do. */
  video(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder;
  /** The parts that decide about its price, with the vendor's defaults. Throws `BadTaskRequest`. */
  terms(video: VideoOrder, model: string): Terms;
  /** The request, in the vendor's form. Throws `BadTaskRequest`. */
  request(ordered: OrderedVideo<Terms>): Partial<TaskRequest>;
}

interface OrderedVideo<Terms> {
  video: VideoOrder;
  terms: Terms;
  model: string;
  order: TaskOrder;
  call: ProviderCall;
}

/** Prices and submits orders. */
export const videoOrders = <Terms extends VideoTerms>({ path, video, terms, request }: VideoOrders<Terms>) =>
  ({
    ...videoDefaults,
    path,
    quote: (order, billed, upstream = billed) => videoQuote(billed, terms(video(order, upstream), upstream)),
    submit(order, call) {
      const { model } = call;
      const ordered = video(order, model);
      const facts = { video: ordered, terms: terms(ordered, model), model, order, call };
      return { method: 'POST', path, ...request(facts) };
    },
  }) satisfies Partial<TaskOperation>;

export interface TaskStates {
  /** The vendor's id in the answer to an order; empty: none. */
  id(task: Json): string;
  /** The member of an answer that is the task; absent: the answer itself. `polled`: only of answers to polls. */
  within?: { submitted?: string; polled?: string; listed?: string };
  /** Whether an answer to an order or a poll is an error whatever its HTTP status is. */
  isError?(json: Json): boolean;
  /** The same for answers to orders only: the state of a failed task has an error too. */
  isRefusal?(json: Json): boolean;
  /** The answer to an order has the status already, in the same member. */
  tellsStart?: true;
  /** Kept with the task for its polls. */
  traits?(order: TaskOrder): Json;
  /** Where the state of a task is read. `id` is escaped. */
  at(id: string, call: ProviderCall, task: PolledTask | undefined): string | TaskRequest;
  /** A report by the HTTP status of an answer to a poll; absent or undefined: 200 and 202 have a document. */
  byStatus?(answer: TaskAnswer, task: PolledTask): Partial<TaskReport> | undefined;
  /** An unknown task is answered with another status than 404. */
  knowsAll?: true;
  /** Members with the vendor's word for the status, with the id of the task if answers have one, and with our id. */
  word: string;
  statuses: StatusTable;
  name?: string;
  ownId?: string;
  /** Members that callers may see: no account data and no billing. Absent: none. */
  shown?: readonly string[];
  /** Files of a result; undefined ones are left out. */
  media?(task: Json): readonly (ReportedMedia | undefined)[];
  /** Why a task did not succeed; empty: unknown. */
  reason?(task: Json, word: string): string;
  /** Members of a report that differ from the usual ones. */
  more?(task: Json, answer: Json): Partial<TaskReport>;
}

/** Reads the answers to orders and polls. */
export function taskStates(vendor: TaskStates) {
  const { within = {}, word, statuses, at, isError, isRefusal } = vendor;
  const part = (json: Json, name: string | undefined): Json => (name === undefined ? json : objectOr(json[name]));
  const wordOf = (task: Json): string => textOr(task[word], '');

  function reportOf(task: Json, upstreamId: string, answer: Json): TaskReport {
    const { ownId, shown, media, reason, more } = vendor;
    const state = statusOf(statuses, wordOf(task));
    const files = (media?.(task) ?? []).filter((file) => file !== undefined);
    const data = shown && pick(task, shown);
    return {
      upstreamId,
      ...state,
      ...(ownId !== undefined && { ownId: textOr(task[ownId], '') }),
      ...((state.status === 'FAILURE' || state.status === 'CANCEL') && {
        failReason: reason?.(task, wordOf(task)) ?? '',
      }),
      ...(data && { data: within.polled === undefined ? data : { [within.polled]: data } }),
      ...(files.length > 0 && { media: files }),
      hasResult: files.length > 0,
      ...more?.(task, answer),
    };
  }

  return {
    receipt({ json }, order) {
      if (!isObject(json) || isError?.(json) || isRefusal?.(json)) return undefined;
      const task = part(json, within.submitted);
      const state = vendor.tellsStart ? statusOf(statuses, wordOf(task)).status : undefined;
      return acceptedAs(vendor.id(task), state, vendor.traits?.(order));
    },
    poll([task], call) {
      const request = at(encodeURIComponent(task?.upstreamId ?? ''), call, task);
      return typeof request === 'string' ? { method: 'GET', path: request } : request;
    },
    reports(answer, [polled]) {
      const { status, json } = answer;
      const early = polled && vendor.byStatus?.(answer, polled);
      if (early) return [{ upstreamId: polled.upstreamId, status: 'IN_PROGRESS', hasResult: false, ...early }];
      if (!isObject(json)) return undefined;
      if (status === 404 && !vendor.knowsAll) return [];
      if ((status !== 200 && status !== 202) || isError?.(json)) return undefined;
      const list = within.listed === undefined ? undefined : json[within.listed];
      if (Array.isArray(list))
        return list.filter(isObject).flatMap((task) => {
          const id = idOf(task[vendor.name ?? 'id']);
          return id === '' ? [] : [reportOf(task, id, json)];
        });
      const task = part(json, within.polled);
      const upstreamId = vendor.name === undefined ? polled?.upstreamId : idOf(task[vendor.name]);
      return upstreamId && wordOf(task) !== '' ? [reportOf(task, upstreamId, json)] : undefined;
    },
  } satisfies Partial<TaskOperation>;
}
