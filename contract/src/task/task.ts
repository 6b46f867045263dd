import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { credits, id, idParam, quota, seconds } from '../values.ts';
import { taskMediaKinds, taskModes, taskPlatforms, taskStatuses } from './codes.ts';

/** A follow-up that a finished image task offers; `customId` goes to `/mj/submit/action`. */
export const taskButton = z.object({
  customId: z.string(),
  emoji: z.string(),
  label: z.string(),
  /** 2: normal. */
  style: z.int(),
  type: z.int(),
});
export type TaskButton = z.infer<typeof taskButton>;

/** A file among a task's results. */
export const taskMedia = z.object({
  kind: z.enum(taskMediaKinds),
  /** A signed path of this server, valid for as long as the settings say. */
  url: z.string(),
  /** Preview, likewise; empty: none. */
  cover: z.string(),
  title: z.string(),
  /** This server has a copy; else the file is available as long as the provider keeps it. */
  stored: z.boolean(),
});
export type TaskMedia = z.infer<typeof taskMedia>;

/** An asynchronous task: images, music or lyrics. */
export const task = z.object({
  id,
  /** Id in the API of callers; unique. */
  task_id: z.string(),
  platform: z.enum(taskPlatforms),
  /** `IMAGINE`, `UPSCALE`, `MUSIC`, `LYRICS` and the like. */
  action: z.string(),
  /** The billed model. */
  model: z.string(),
  /** Null: the platform has no modes. */
  mode: z.nullable(z.enum(taskModes)),
  status: z.enum(taskStatuses),
  /** Percent. */
  progress: z.int(),
  created_at: seconds,
  updated_at: seconds,
  submit_time: seconds,
  /** 0: not yet. */
  start_time: seconds,
  finish_time: seconds,
  fail_reason: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  /** Text of the caller, returned unchanged. */
  state: z.string(),
  /** Follow-ups; empty unless finished. */
  buttons: z.array(taskButton),
  media: z.array(taskMedia),
  /** Result in the platform's own format; null: none yet. Songs: see `data` of the Suno API. */
  data: z.unknown(),
  /** Further values of the platform, such as `finalPrompt`. */
  properties: z.record(z.string(), z.unknown()),
  /** Credits charged. */
  quota,
  /** Whether a cancel endpoint can stop it now, with the charge returned. */
  cancellable: z.boolean(),
  /** The charge was returned. */
  refunded: z.boolean(),
  /** Reference of the refund's ledger entry; empty: none. */
  refund_reference: z.string(),
  /** Request id of the submission, by which its log row and ledger entry are found. */
  request_id: z.string(),
  user_id: id,
  /** Empty for owners. */
  username: z.string(),
  token_id: z.int(),
  token_name: z.string(),
  /** 0 and empty for owners. */
  channel_id: z.int(),
  channel_name: z.string(),
  /** The task that this one follows up; empty: none. */
  parent_task_id: z.string(),
});
export type Task = z.infer<typeof task>;

/** Sums of the tasks that a list finds. */
export const taskTotals = z.object({
  count: z.int(),
  /** Credits charged and not returned. */
  quota: credits,
  refunded_count: z.int(),
  /** Credits returned. */
  refunded_quota: credits,
});
export type TaskTotals = z.infer<typeof taskTotals>;

/** A row of the family's image list. Times are in milliseconds; 0: not yet. */
export const midjourneyTask = z.object({
  id,
  /** 1: submitted; 21, 22: as answered by the upstream. */
  code: z.int(),
  user_id: id,
  action: z.string(),
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  image_url: z.string(),
  status: z.enum(taskStatuses),
  /** `55%`. */
  progress: z.string(),
  fail_reason: z.string(),
  /** 0 for owners. */
  channel_id: z.int(),
  quota: credits,
  refunded: z.boolean(),
  /** JSON texts. */
  buttons: z.string(),
  properties: z.string(),
  mode: z.string(),
  token_id: z.int(),
});
export type MidjourneyTask = z.infer<typeof midjourneyTask>;

export const taskColumns = [
  'id',
  'created_at',
  'submit_time',
  'finish_time',
  'channel_id',
  'user_id',
  'platform',
] as const;

export const midjourneyColumns = [
  'id',
  'user_id',
  'code',
  'action',
  'mj_id',
  'submit_time',
  'start_time',
  'finish_time',
  'status',
  'channel_id',
] as const;

/** Milliseconds since 1970; absent and 0 mean "no filter". */
const millisecondsFilter = z._default(z.coerce.number().check(z.int(), z.gte(0)), 0);

/** `user_ids=1&user_ids=2`, or one comma-separated text. */
const idsFilter = z._default(
  z.pipe(
    z.union([z.string().check(z.maxLength(2000)), z.array(z.string()).check(z.maxLength(100))]),
    z.transform((given: string | string[]) =>
      [given]
        .flat()
        .flatMap((list) => list.split(','))
        .filter((text) => text.trim() !== '')
        .map(Number)
        .filter((number) => Number.isSafeInteger(number) && number > 0),
    ),
  ),
  [],
);

const ownFilters = {
  /** These three take one value, or several separated by commas. */
  platform: textFilter,
  action: textFilter,
  status: textFilter,
  task_id: textFilter,
  /** A part of the prompt, or the start of the id in the API of callers. */
  keyword: textFilter,
  /** Records to look at again, as a page does with its unfinished tasks. */
  ids: idsFilter,
  token_id: numberFilter,
  /** Submission, Unix seconds, both inclusive. */
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
};
const filters = {
  ...ownFilters,
  channel_id: numberFilter,
  user_id: numberFilter,
  user_ids: idsFilter,
  username: textFilter,
};
export const taskFilters = z.object(filters);
export type TaskFilters = z.output<typeof taskFilters>;

const ownMidjourneyFilters = {
  mj_id: textFilter,
  token_id: numberFilter,
  action: textFilter,
  status: textFilter,
  /** Submission, Unix milliseconds, both inclusive. */
  start_timestamp: millisecondsFilter,
  end_timestamp: millisecondsFilter,
};
const midjourneyFilters = { ...ownMidjourneyFilters, channel_id: numberFilter, user_id: numberFilter };

const withId = z.object({ id: idParam });

const fileParams = z.object({ id: idParam, index: z.coerce.number().check(z.int(), z.gte(0), z.lte(999)) });

export const taskSchemas = {
  list: {
    audience: 'admin',
    summary: 'List the tasks of all users',
    query: z.extend(listQuery(taskColumns), filters),
    reply: pageOf(task),
  },
  ownList: {
    audience: 'user',
    summary: 'List your tasks',
    query: z.extend(listQuery(taskColumns), ownFilters),
    reply: pageOf(task),
  },
  get: {
    audience: 'admin',
    summary: 'Get a task',
    params: withId,
    reply: task,
  },
  ownGet: {
    audience: 'user',
    summary: 'Get one of your tasks',
    params: withId,
    reply: task,
  },
  cancel: {
    audience: 'admin',
    summary: 'Cancel an unfinished task and return its charge',
    params: withId,
    reply: task,
  },
  ownCancel: {
    audience: 'user',
    summary: 'Cancel one of your unfinished tasks and get its charge back',
    params: withId,
    reply: task,
  },
  media: {
    audience: 'admin',
    summary: 'Download a result file of a task, or a part of it',
    params: fileParams,
    file: '*/*',
  },
  ownMedia: {
    audience: 'user',
    summary: 'Download a result file of one of your tasks, or a part of it',
    params: fileParams,
    file: '*/*',
  },
  totals: {
    audience: 'admin',
    summary: 'Get the sums of the tasks of all users',
    query: z.object(filters),
    reply: taskTotals,
  },
  ownTotals: {
    audience: 'user',
    summary: 'Get the sums of your tasks',
    query: z.object(ownFilters),
    reply: taskTotals,
  },
} as const satisfies SchemasByEndpoint;

export const midjourneySchemas = {
  list: {
    audience: 'admin',
    summary: 'List the image tasks of all users, with times in milliseconds',
    query: z.extend(listQuery(midjourneyColumns), midjourneyFilters),
    reply: pageOf(midjourneyTask),
  },
  ownList: {
    audience: 'user',
    summary: 'List your image tasks, with times in milliseconds',
    query: z.extend(listQuery(midjourneyColumns), ownMidjourneyFilters),
    reply: pageOf(midjourneyTask),
  },
} as const satisfies SchemasByEndpoint;
