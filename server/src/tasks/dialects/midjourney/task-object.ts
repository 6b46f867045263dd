import { isFinalTask } from '@relay-hub/contract';
import { type Json, objectOr } from '#json.ts';
import { imagePath } from '#tasks/image-path.ts';
import { siteAddress } from '#http/site-address.ts';
import { type LinkContext, signedMedia, withOwnAddresses } from '#tasks/media/media-links.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

/** A task in the form of midjourney-proxy. Its addresses are signed ones of this server. */
export const taskObject = (context: LinkContext, task: TaskRow): Json => ({
  id: task.task_id,
  action: task.action,
  customId: null,
  botType: null,
  prompt: task.prompt,
  promptEn: task.prompt_en,
  description: task.description,
  state: task.state,
  submitTime: task.submit_ms,
  startTime: task.start_ms || null,
  finishTime: task.finish_ms || null,
  imageUrl:
    task.image_url === ''
      ? ''
      : siteAddress(context.deps, context.request) + signedMedia(context.deps, imagePath(task.task_id)),
  // Clients know neither word.
  status: task.status === 'UNKNOWN' || task.status === 'QUEUED' ? 'SUBMITTED' : task.status,
  progress: `${task.progress}%`,
  failReason: task.fail_reason,
  buttons: isFinalTask(task.status) ? task.buttons : [],
  maskBase64: null,
  properties: { finalPrompt: '', finalZhPrompt: '', ...task.properties },
  ...objectOr(
    withOwnAddresses(context.deps, task, { value: task.data, site: siteAddress(context.deps, context.request) }),
  ),
});
