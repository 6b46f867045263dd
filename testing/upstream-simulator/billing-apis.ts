import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A day of a model at a simulated provider; amounts as decimal text in dollars. */
export interface BilledDay {
  date: string;
  model: string;
  amount: string;
  requests: number;
  input: number;
  output: number;
}

const [pageSize, adminKey] = [1, 'admin-key-of-the-simulator'];

/**
 * The cost APIs of OpenAI, Anthropic and OpenRouter, by their wire formats of 2026: admin key, pages, amounts as number,
 * as text of cents, and as number of dollars. An ordinary key is refused.
 */
export async function startBillingApis(days: () => readonly BilledDay[]) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://simulator');
    paths.push(url.pathname);
    const found = keyOf(request) === adminKey ? answers[url.pathname]?.(url.searchParams, days()) : undefined;
    if (found) send(response, 200, found);
    else if (keyOf(request) !== adminKey)
      send(response, 401, {
        error: { type: 'invalid_request_error', message: `Key ${keyOf(request)} is no admin key` },
      });
    else send(response, 404, { error: { message: 'Not found' } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on a TCP port
  return {
    url: `http://127.0.0.1:${port}`,
    adminKey,
    paths,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const keyOf = ({ headers }: IncomingMessage): string =>
  [headers['x-api-key'], headers.authorization?.replace('Bearer ', '')].flat().find((key) => key !== undefined) ?? '';

function send(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(json));
}

const seconds = (date: string): number => Date.parse(date) / 1000;

/** Some of a list, and where the rest is. */
function page<T>(
  list: readonly T[],
  query: URLSearchParams,
): { data: T[]; has_more: boolean; next_page: string | null } {
  const start = Number(query.get('page') ?? 0);
  const end = start + pageSize;
  return {
    data: list.slice(start, end),
    has_more: end < list.length,
    next_page: end < list.length ? String(end) : null,
  };
}

const answers: Record<string, (query: URLSearchParams, days: readonly BilledDay[]) => object> = {
  '/v1/organization/costs': (query, days) => {
    const within = days.filter(
      ({ date }) => seconds(date) >= Number(query.get('start_time')) && seconds(date) < Number(query.get('end_time')),
    );
    const buckets = [...Map.groupBy(within, ({ date }) => date)].map(([date, of]) => ({
      object: 'bucket',
      start_time: seconds(date),
      end_time: seconds(date) + 86_400,
      results: of.flatMap(({ model, amount, input, output }) => [
        costOf(`${model}, input`, Number(amount), input),
        costOf(`${model}, output`, '0', output),
      ]),
    }));
    return { object: 'page', ...page(buckets, query) };
  },
  '/v1/organizations/analytics/cost': (query, days) =>
    page(
      anthropicDays(query, days).map(({ date, model, amount, requests }) => ({
        ...bucketOf(date),
        group: { model },
        cost: { amount: String(Number(amount) * 100), list_amount: '0', currency: 'USD', requests },
      })),
      query,
    ),
  '/v1/organizations/analytics/usage': (query, days) =>
    page(
      anthropicDays(query, days).map(({ date, model, input, output, requests }) => ({
        ...bucketOf(date),
        group: { model },
        usage: {
          uncached_input_tokens: input - 3,
          cache_read_input_tokens: 1,
          cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 1 },
          output_tokens: output,
          requests,
        },
      })),
      query,
    ),
  '/api/v1/activity': (_query, days) => ({
    data: days.map(({ date, model, amount, requests, input, output }) => ({
      date: `${date} 00:00:00`,
      model,
      model_permaslug: model,
      endpoint_id: 'e',
      provider_name: 'p',
      usage: Number(amount),
      byok_usage_inference: 0,
      requests,
      prompt_tokens: input,
      completion_tokens: output,
      reasoning_tokens: 0,
    })),
  }),
};

const costOf = (item: string, value: number | string, quantity: number) => ({
  object: 'organization.costs.result',
  amount: { value, currency: 'usd' },
  line_item: item,
  project_id: null,
  api_key_id: null,
  quantity,
});

const bucketOf = (date: string) => ({
  starting_at: `${date}T00:00:00Z`,
  ending_at: new Date((seconds(date) + 86_400) * 1000).toISOString(),
});

const anthropicDays = (query: URLSearchParams, days: readonly BilledDay[]): BilledDay[] =>
  days.filter(
    ({ date }) =>
      `${date}T00:00:00Z` >= (query.get('starting_at') ?? '') && `${date}T00:00:00Z` < (query.get('ending_at') ?? ''),
  );
