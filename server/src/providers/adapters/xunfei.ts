import { objectOr } from '#json.ts';
import { oldLimit, oneSystemRole } from '../fixes.ts';
import { keyOf } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import type { ErrorReader } from '../provider.ts';
import { keyParts } from '../target.ts';
import { errorsWith } from '../upstream-errors.ts';

const declared = errorsWith({
  10007: 429,
  10013: 400,
  10014: 400,
  10019: 400,
  10907: 400,
  11200: 403,
  11201: 429,
  11202: 429,
  11203: 429,
});

/** Replies have their own code in addition to OpenAI's fields: 0 is success. */
const error: ErrorReader = (answer) => {
  const { code, message } = objectOr(answer.json);
  const failed = typeof code === 'number' && code !== 0;
  return declared(failed ? { ...answer, json: { error: { code, message } } } : answer);
};

/** The HTTP API's password is the whole key, or the last two parts of the older format. */
export const provider = openAiCompatible({
  id: 'xunfei',
  type: 18,
  title: 'iFlytek Spark',
  baseUrl: 'https://spark-api-open.xf-yun.com',
  testModel: 'lite',
  website: 'https://console.xfyun.cn',
  form: { key: keyOf(['APIPassword'], ['APPID', 'APISecret', 'APIKey']) },
  headers: (key) => {
    const { secret, apiKey } = keyParts(key, 'id', 'secret', 'apiKey');
    return { authorization: `Bearer ${apiKey === '' ? key : `${apiKey}:${secret}`}` };
  },
  fix: [oneSystemRole, oldLimit],
  target: ({ baseUrl, key, model }, path) => ({
    // Older channels contain the WebSocket API's address.
    baseUrl: baseUrl.replace(/^(wss?|https?):\/\/spark-api\.xf-yun\.com.*$/, provider.baseUrl),
    path: /^(spark-)?x/i.test(model) ? path.replace('/v1/', '/v2/') : path,
    headers: provider.headers(key),
  }),
  models: false,
  error,
});
