import type { ProviderWire } from '#providers/operation.ts';
import { commonToolName } from '#chat/tool-fitting.ts';
import { CohereStreamReader } from './cohere-stream-reader.ts';
import { readCohereReply } from './read-cohere-reply.ts';
import { writeCohereRequest } from './write-cohere-request.ts';

/** Cohere v2. Accepts picture addresses. */
export const cohereWire: ProviderWire = {
  id: 'cohere',
  toolNames: commonToolName,
  writeRequest: writeCohereRequest,
  readReply: readCohereReply,
  streamReader: (options) => new CohereStreamReader(options),
  dropped: [
    ...['user', 'cacheKey', 'verbosity', 'modalities', 'serviceTier', 'parallelToolCalls', 'messages.name'].map(
      (field) => ({ field, why: 'the wire has no such field' }),
    ),
    { field: 'toolChoice (one tool)', why: 'a tool can be demanded, but not which' },
    { field: 'format', why: 'refused together with tools' },
    { field: 'stop (from the sixth on)', why: 'more than five are refused' },
    { field: 'messages.parts.cache', why: 'the vendor has no such marks' },
    { field: 'messages.parts.thinking', why: 'only what led to calls comes back, as their plan' },
    { field: 'messages.parts.tool_result (pictures)', why: 'results are texts' },
  ],
};
