/**
 * Dialects of asynchronous tasks: what their callers speak. `video`: the OpenAI, generic and Google video dialects.
 * `batch`: batches of OpenAI and Anthropic. `response`: responses in the background.
 */
export const taskPlatforms = ['midjourney', 'suno', 'kling', 'video', 'batch', 'response'] as const;
export type TaskPlatform = (typeof taskPlatforms)[number];

/**
 * Status of a task. `MODAL`: waits for the caller's confirmation. `UNKNOWN`: the answer to its submission was lost; the
 * charge is refunded unless the task is found.
 */
export const taskStatuses = [
  'NOT_START',
  'SUBMITTED',
  'QUEUED',
  'IN_PROGRESS',
  'MODAL',
  'FAILURE',
  'SUCCESS',
  'CANCEL',
  'UNKNOWN',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** A task in one of these never changes again. */
export const finalTaskStatuses = ['FAILURE', 'SUCCESS', 'CANCEL'] as const satisfies readonly TaskStatus[];

export const isFinalTask = (status: TaskStatus): boolean => finalTaskStatuses.some((final) => final === status);

/** Speed of an image task, from the path of its submission. */
export const taskModes = ['fast', 'relax', 'turbo'] as const;
export type TaskMode = (typeof taskModes)[number];

/** Kind of a file among a task's results. */
export const taskMediaKinds = ['image', 'audio', 'video'] as const;
export type TaskMediaKind = (typeof taskMediaKinds)[number];
