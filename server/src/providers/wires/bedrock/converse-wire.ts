import type { ProviderWire } from '#providers/operation.ts';
import { commonToolName } from '#chat/tool-fitting.ts';
import { ConverseStreamReader } from './converse-stream-reader.ts';
import { readConverseReply } from './read-converse-reply.ts';
import { writeConverseRequest } from './write-converse-request.ts';

/** Amazon Bedrock's Converse API for all vendors' models. Pictures are bytes or S3 objects. */
export const converseWire: ProviderWire = {
  id: 'bedrock-converse',
  toolNames: commonToolName,
  writeRequest: writeConverseRequest,
  readReply: readConverseReply,
  streamReader: (options) => new ConverseStreamReader(options),
  dropped: [
    ...['seed', 'frequencyPenalty', 'presencePenalty', 'user', 'cacheKey', 'verbosity', 'modalities'].map((field) => ({
      field,
      why: 'the wire has no such field',
    })),
    { field: 'parallelToolCalls', why: 'the wire has no such field' },
    { field: 'topK', why: 'only Claude takes it here' },
    { field: 'toolChoice (none)', why: 'tools can be left out, but not forbidden, where the conversation holds calls' },
    { field: 'messages.name', why: 'the wire has no such field' },
    { field: 'messages.parts.image.detail', why: 'the wire has no such field' },
    { field: 'messages.parts.thinking', why: 'only what Claude signed comes back to it' },
  ],
};
