/** Inputs for tests of the vendors outside China. */
import type { ProviderCall } from '../operation.ts';
import type { TaskOperation } from '../task-operation.ts';
import { vendorCallOf } from './task-orders.ts';
import { falQueue } from '#providers/adapters/fal.ts';
import { geminiInteractions } from '#providers/task-vendors/gemini-interactions.ts';
import { geminiVeo, vertexVeo } from '#providers/task-vendors/veo.ts';
import { lumaAgents, lumaDreamMachine } from '#providers/adapters/luma.ts';
import { replicatePredictions } from '#providers/task-vendors/replicate-predictions.ts';
import { runwayTasks } from '#providers/adapters/runway.ts';
import { stabilityUpscale } from '#providers/adapters/stability.ts';
import { xaiVideos } from '#providers/task-vendors/xai-videos.ts';

export const vendors = {
  vertexVeo,
  geminiVeo,
  geminiInteractions,
  runwayTasks,
  lumaAgents,
  lumaDreamMachine,
  xaiVideos,
  replicatePredictions,
  falQueue,
  stabilityUpscale,
} satisfies Record<string, TaskOperation>;
export type VendorName = keyof typeof vendors;

export const vertexCall = (model: string): ProviderCall =>
  vendorCallOf(model, {
    baseUrl: 'https://aiplatform.googleapis.com',
    extras: { other: 'us-central1|my-project', plugin: {} },
  });
export const inputOf = (name: VendorName, model: string): ProviderCall =>
  name === 'vertexVeo' ? vertexCall(model) : vendorCallOf(model);
