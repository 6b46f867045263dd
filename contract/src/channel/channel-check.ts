import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { splitList } from '../texts.ts';
import { idParam } from '../values.ts';
import { channelChecks } from './codes.ts';

/** Check results of a model. */
export const checkedModel = z.object({
  model: z.string(),
  process: z.array(
    z.object({
      name: z.enum(channelChecks),
      results: z.array(z.object({ name: z.string(), status: z.int(), remark: z.string() })),
      /** Reply of the upstream in OpenAI's format; null if none. */
      response: z.nullable(z.record(z.string(), z.unknown())),
    }),
  ),
});
export type CheckedModel = z.infer<typeof checkedModel>;

/** Events of the stream: a checked model, a heartbeat, and the end. */
export const checkEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), data: checkedModel }),
  z.object({ type: z.literal('heartbeat'), data: z.string() }),
  z.object({ type: z.literal('done'), data: z.string() }),
]);
export type CheckEvent = z.infer<typeof checkEvent>;

/** Comma-separated model names, without wildcards. */
const names = z.string().check(
  z.overwrite((list) => [...new Set(splitList(list))].join(',')),
  z.minLength(1),
  z.maxLength(10_000),
  z.refine((list) => splitList(list).every((name) => name.length <= 100 && !name.includes('*')), {
    error: 'model.no_wildcard',
  }),
);

export const channelCheckSchemas = {
  check: {
    audience: 'admin',
    summary:
      'Check the capabilities of a channel’s models with a few small calls each, free of charge. Events are `{type, data}` with type `result`, `heartbeat` or `done`',
    body: z.object({ id: idParam, models: names }),
    file: 'text/event-stream',
  },
  image: {
    audience: 'public',
    summary: 'The test image of a model check; the check reports which upstream fetched it',
    params: z.object({ id: z.string() }),
    file: 'image/png',
  },
} as const satisfies SchemasByEndpoint;
