import { refusal } from './errors.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';

/** Default list of `GET /v1/models`. Other names are answered too. */
export const defaultModels: readonly string[] = [
  'gpt-4o-mini',
  'gpt-4o',
  'gpt-4.1-mini',
  'gpt-5-mini',
  'text-embedding-3-small',
  'text-embedding-3-large',
  'sim-slow',
  'sim-long',
  'sim-busy',
  'sim-down',
];

const modelObject = (id: string) => ({ id, object: 'model', created: 1715367049, owned_by: 'system' });

export function modelListReply(models: readonly string[]): SimulatedReply {
  return jsonReply(200, { object: 'list', data: models.map(modelObject) });
}

/** `id` as in the path. */
export function modelReply(models: readonly string[], id: string): SimulatedReply {
  const model = models.find((name) => name === id || encodeURIComponent(name) === id);
  if (model !== undefined) return jsonReply(200, modelObject(model));
  return refusal(404, `The model '${id}' does not exist`, 'model_not_found', 'model');
}
