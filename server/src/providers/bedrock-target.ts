import { isObject, listOr, objectOr, textOr } from '#json.ts';
import type { ProviderCall, CallTarget } from './operation.ts';
import type { ModelList } from './provider.ts';
import { bearer, keyParts, regionOr } from './target.ts';

const FIRST_REGION = 'us-east-1';

/** The endpoint of one region; the key may name another. */
export const bedrockHost = `https://bedrock-runtime.${FIRST_REGION}.amazonaws.com`;

/** `Region|AccessKeyID|SecretAccessKey`, optionally with a session token, or `Region|BearerToken`. */
export function bedrockKey(key: string) {
  const { region, first, secretAccessKey, sessionToken } = keyParts(
    key,
    'region',
    'first',
    'secretAccessKey',
    'sessionToken',
  );
  const isBearer = secretAccessKey === '';
  return {
    region: regionOr(region, FIRST_REGION),
    bearerToken: isBearer ? first : '',
    accessKeyId: isBearer ? '' : first,
    secretAccessKey,
    sessionToken,
  };
}

const headersOf = (key: string) => {
  const { bearerToken } = bedrockKey(key);
  return bearerToken === '' ? {} : bearer(bearerToken);
};

export function bedrockTarget({ baseUrl, key, model }: ProviderCall, action: string): CallTarget {
  const { region } = bedrockKey(key);
  return {
    baseUrl: baseUrl === bedrockHost ? bedrockHost.replace(FIRST_REGION, region) : baseUrl,
    path: `/model/${encodeURIComponent(bedrockModel(model))}/${action}`,
    headers: headersOf(key),
  };
}

/** Converts Claude's model names, with or without a region prefix, to Bedrock's spelling. */
export function bedrockModel(model: string): string {
  const [, region = '', name = ''] = /^((?:us|eu|apac|jp|au|global)\.)?(claude-.+)$/.exec(model) ?? [];
  if (name === '') return model;
  const version = versions[name] ?? (/-\d{8}$/.test(name) ? '-v1:0' : '');
  return `${region}anthropic.${oldNames[name] ?? name}${version}`;
}

const oldNames: Readonly<Record<string, string>> = {
  'claude-2.1': 'claude-v2:1',
  'claude-2.0': 'claude-v2',
  'claude-instant-1.2': 'claude-instant-v1',
};
const versions: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet-20241022': '-v2:0',
  'claude-opus-4-6': '-v1',
};

const FOUNDATION = '/foundation-models?byInferenceType=ON_DEMAND';
const PROFILES = '/inference-profiles?maxResults=1000';

/** Two lists at another host: foundation models, and the inference profiles that most newer models require. */
export const bedrockModels: ModelList = {
  path: FOUNDATION,
  target: ({ key, callerPath = FOUNDATION }) => ({
    baseUrl: `https://bedrock.${bedrockKey(key).region}.amazonaws.com`,
    path: callerPath,
    headers: headersOf(key),
  }),
  read(reply) {
    if (!isObject(reply)) return undefined;
    const { modelSummaries: models, inferenceProfileSummaries: profiles } = reply;
    if (!Array.isArray(models) && !Array.isArray(profiles)) return undefined;
    const found = [...listOr(models), ...listOr(profiles)].map(objectOr);
    return found.flatMap(({ modelId, inferenceProfileId }) => textOr(modelId ?? inferenceProfileId, '') || []);
  },
  next(reply) {
    const { modelSummaries: models, nextToken } = objectOr(reply);
    if (Array.isArray(models)) return PROFILES;
    const token = textOr(nextToken, '');
    return token === '' ? undefined : `${PROFILES}&nextToken=${encodeURIComponent(token)}`;
  },
};
