import { anthropicWire } from '#chat/codecs.ts';
import { anthropicMessages } from '#usage/anthropic-messages.ts';
import { bedrockConverse } from '#usage/bedrock-converse.ts';
import { cohere as cohereUsage } from '#usage/cohere.ts';
import { titanEmbeddings as titanUsage } from '#usage/plain-counters.ts';
import { bedrockHost, bedrockKey, bedrockModel, bedrockModels, bedrockTarget } from '../bedrock-target.ts';
import { keyOf } from '../form.ts';
import { bedrockCohereEmbeddings, novaEmbeddings, titanEmbeddings } from '#providers/media/bedrock-embeddings.ts';
import { bedrockFlags, fittingFlags } from '../claude-clouds.ts';
import type { About, Operation } from '../operation.ts';
import { claudePictures } from '../pictures.ts';
import type { Provider } from '../provider.ts';
import { signedHeaders } from '#providers/signing/sig-v4.ts';
import { bearer } from '../target.ts';
import { errorsWith } from '../upstream-errors.ts';
import { bedrockStatuses } from '#providers/wires/bedrock/bedrock-exceptions.ts';
import { converseWire } from '#providers/wires/bedrock/converse-wire.ts';
import { ClaudeUnframer } from '#providers/wires/bedrock/unframe-claude.ts';

const streamType = 'application/vnd.amazon.eventstream';

/** An application's inference profile has an ARN without the model's name, so the name before the mapping counts. */
const isClaude = ({ model, requested }: About): boolean =>
  /anthropic|claude/.test(model) || (model.startsWith('arn:') && /anthropic|claude/i.test(requested ?? ''));

/** Anthropic's own format, for callers of its dialect. */
const claude: Operation = {
  dialect: 'anthropic',
  path: '',
  serves: isClaude,
  target: (call) => bedrockTarget(call, call.stream ? 'invoke-with-response-stream' : 'invoke'),
  usage: anthropicMessages,
  wire: anthropicWire,
  fix: (body, call) => {
    const { flags, changes } = fittingFlags(bedrockFlags, body, call);
    return {
      model: undefined,
      stream: undefined,
      anthropic_version: 'bedrock-2023-05-31',
      ...(flags.length > 0 && { anthropic_beta: flags }),
      ...changes,
    };
  },
  lost: (body, call) => fittingFlags(bedrockFlags, body, call).lost,
  streamType,
  unframe: () => new ClaudeUnframer(),
  pictures: claudePictures,
};

/** Non-chat models take their vendors' formats. */
const invoked = {
  dialect: 'own',
  path: '',
  target: (call) => bedrockTarget(call, 'invoke'),
} as const satisfies Partial<Operation>;

export const provider: Provider = {
  id: 'bedrock',
  type: 32,
  title: 'Amazon Bedrock',
  baseUrl: bedrockHost,
  testModel: 'us.amazon.nova-micro-v1:0',
  website: 'https://console.aws.amazon.com/bedrock/home',
  promptCacheS: 300,
  form: {
    address: 'none',
    key: keyOf(
      ['Region', 'AccessKeyID', 'SecretAccessKey'],
      ['Region', 'AccessKeyID', 'SecretAccessKey', 'SessionToken'],
      ['Region', 'BearerToken'],
    ),
  },
  // The signature covers all other headers, so it comes last.
  headers: (key) => {
    const { bearerToken } = bedrockKey(key);
    return bearerToken === '' ? {} : bearer(bearerToken);
  },
  sign: (request, key, now) => {
    const { region, bearerToken, ...aws } = bedrockKey(key);
    return bearerToken === '' ? signedHeaders(request, aws, { region, service: 'bedrock' }, now) : {};
  },
  chat: {
    dialect: 'own',
    path: '',
    target: (call) => bedrockTarget(call, call.stream ? 'converse-stream' : 'converse'),
    usage: bedrockConverse,
    wire: {
      ...converseWire,
      writeRequest: (request, options) =>
        converseWire.writeRequest(request, { ...options, model: bedrockModel(options.model) }),
    },
    streamType,
    pictures: { ...claudePictures, takes: (address) => address.startsWith('s3://') },
    also: [claude],
  },
  embeddings: {
    ...invoked,
    serves: ({ model }) => /titan-embed/.test(model),
    usage: titanUsage,
    convert: titanEmbeddings,
    also: [
      {
        ...invoked,
        serves: ({ model }) => /cohere\.embed/.test(model),
        usage: cohereUsage,
        convert: bedrockCohereEmbeddings,
      },
      {
        ...invoked,
        serves: ({ model }) => /amazon\.nova.*embed/.test(model),
        usage: titanUsage,
        convert: novaEmbeddings,
      },
    ],
  },
  models: bedrockModels,
  error: errorsWith(bedrockStatuses),
};
