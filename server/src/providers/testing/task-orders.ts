import type { ProviderCall } from '../operation.ts';
import type { PolledTask, TaskOrder } from '../task-operation.ts';
import type { VideoOrder } from '../video-order.ts';

/** An order for a video, as the engine passes it to an adapter; undefined: an order in the dialect of another platform. */
export const videoOrder = (video: Partial<VideoOrder> | undefined, more: Partial<TaskOrder> = {}): TaskOrder => ({
  platform: 'video',
  kind: video?.kind ?? 'generate',
  action: 'GENERATE',
  mode: '',
  body: {},
  video: video && { kind: 'generate', prompt: 'a cat', ...video },
  ownId: 'task_1',
  parentId: '',
  notifyUrl: '',
  ...more,
});

export const vendorCallOf = (model: string, more: Partial<ProviderCall> = {}): ProviderCall => ({
  model,
  baseUrl: 'https://vendor.example',
  key: 'a-key',
  extras: { other: '', plugin: {} },
  stream: false,
  ...more,
});

export const polledTaskOf = (upstreamId: string, more: Partial<PolledTask> = {}): PolledTask => ({
  upstreamId,
  ownId: 'task_1',
  model: 'a-model',
  vendor: {},
  ...more,
});
