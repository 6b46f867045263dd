import type { TaskPlatform } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { klingTask } from './dialects/kling/kling-task.ts';
import { taskObject as midjourneyObject } from './dialects/midjourney/task-object.ts';
import { videoObject } from './dialects/openai-videos/video-object.ts';
import { taskObject as sunoObject } from './dialects/suno/task-object.ts';
import { type LinkContext, mediaAddress } from './media/media-links.ts';
import { filesOf } from './media/task-files.ts';
import type { TaskRow } from './task-rows.ts';

/** A task as callers of its platform read it. */
type TaskObject = (context: LinkContext, task: TaskRow) => Json;

/** Platforms whose notifications have the form of their dialect. */
const objects: Partial<Record<TaskPlatform, TaskObject>> = {
  kling: klingTask,
  midjourney: midjourneyObject,
  suno: (_, task) => sunoObject(task),
  video: videoObject,
};

const plainObject: TaskObject = (context, task) => ({
  task_id: task.task_id,
  status: task.status,
  progress: `${task.progress}%`,
  fail_reason: task.fail_reason,
  media: filesOf(task).map(({ kind }, index) => ({ kind, url: mediaAddress(context, task, index) })),
});

/** The task in the form of its platform's dialect. */
export const taskObjectOf: TaskObject = (context, task) => (objects[task.platform] ?? plainObject)(context, task);
