import type { ProviderWire } from '#providers/operation.ts';
import { OllamaStreamReader } from './ollama-stream-reader.ts';
import { readOllamaReply } from './read-ollama-reply.ts';
import { writeOllamaRequest } from './write-ollama-request.ts';

/** Ollama's own API. Pictures as bytes only. */
export const ollamaWire: ProviderWire = {
  id: 'ollama',
  writeRequest: writeOllamaRequest,
  readReply: readOllamaReply,
  streamReader: (options) => new OllamaStreamReader(options),
  dropped: [
    ...['user', 'cacheKey', 'verbosity', 'modalities', 'serviceTier', 'parallelToolCalls', 'messages.name'].map(
      (field) => ({ field, why: 'the wire has no such field' }),
    ),
    { field: 'toolChoice (required)', why: 'a tool cannot be demanded' },
    { field: 'messages.parts.cache', why: 'the vendor has no such marks' },
    { field: 'messages.parts.thinking', why: 'only what led to calls comes back' },
    { field: 'messages.parts.image.detail', why: 'the wire has no such field' },
    { field: 'tools.strict', why: 'the wire has no such field' },
  ],
};
