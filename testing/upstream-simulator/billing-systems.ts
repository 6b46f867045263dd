import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, listOr, objectOr, parseJson, textOr } from '#json.ts';

/**
 * Faults of the receiver. `lost`: it takes the events and cuts the connection. `hang`: it
 * takes them and never answers. `fine`: it takes nothing and answers 200 with an error.
 */
type Misbehaviour = 'none' | 'busy' | 'broken' | 'lost' | 'fine' | 'hang';

export const billingKey = 'billing-key-of-the-simulator';

interface Receipt {
  id: string;
  event: Record<string, unknown>;
}

/**
 * Receivers of usage by their wire formats of 2026: CloudEvents batches as OpenMeter takes them, Lago's atomic batches
 * and Stripe's meter events. `faults`: answers to the next requests. `wrong`: customers that are not known.
 */
export async function startBillingSystems() {
  const taken: Receipt[] = [];
  const seen = new Map<string, number>();
  const faults: Misbehaviour[] = [];
  const wrong = new Set<string>();
  const headers: Record<string, unknown>[] = [];
  const state = { repeated: 0 };

  function take(receipts: readonly Receipt[]): void {
    for (const receipt of receipts) {
      const count = (seen.get(receipt.id) ?? 0) + 1;
      seen.set(receipt.id, count);
      if (count === 1) taken.push(receipt);
      else state.repeated++;
    }
  }

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://simulator');
      const text = Buffer.concat(pieces).toString('utf8');
      headers.push(request.headers);
      if (request.headers.authorization !== `Bearer ${billingKey}`) {
        send(response, 401, { error: { message: 'Invalid API key provided' } });
        return;
      }
      const respond = endpoints[url.pathname];
      if (!respond) {
        send(response, 404, { error: { message: 'Not found' } });
        return;
      }
      const fault = request.method === 'POST' ? faults.shift() : undefined;
      if (fault === 'busy') send(response, 429, { error: { message: 'Too many requests' } }, { 'retry-after': '120' });
      else if (fault === 'broken') send(response, 500, { error: { message: 'Internal error' } });
      else if (fault === 'fine') send(response, 200, { error: 'the queue is full' });
      else {
        const { status, body, receipts = [] } = respond(text);
        take(receipts);
        if (fault === 'lost') response.socket?.destroy();
        else if (fault !== 'hang') send(response, status, body);
      }
    });
  });

  const endpoints: Record<string, (text: string) => { status: number; body?: object; receipts?: Receipt[] }> = {
    '/api/v1/events'(text) {
      const events = listOr(parseJson(text)).filter(isObject);
      if (events.some(({ subject }) => wrong.has(String(subject))))
        return { status: 400, body: { type: 'about:blank', title: 'Bad Request', detail: 'subject is not known' } };
      return { status: 204, receipts: events.map((event) => ({ id: textOr(event['id'], ''), event })) };
    },
    '/api/v1/events/batch'(text) {
      const events = listOr(objectOr(parseJson(text))['events']).filter(isObject);
      const details = events.flatMap((event, at): [string, object][] => {
        if (wrong.has(String(event['external_subscription_id'])))
          return [[String(at), { external_subscription_id: ['subscription_not_found'] }]];
        return seen.has(textOr(event['transaction_id'], ''))
          ? [[String(at), { transaction_id: ['value_already_exist'] }]]
          : [];
      });
      if (details.length > 0) {
        state.repeated += details.filter(([, detail]) => 'transaction_id' in detail).length;
        const body = { status: 422, code: 'validation_errors', error_details: Object.fromEntries(details) };
        return { status: 422, body };
      }
      return {
        status: 200,
        body: { events },
        receipts: events.map((event) => ({ id: textOr(event['transaction_id'], ''), event })),
      };
    },
    '/api/v1/billable_metrics/usage': () => ({ status: 200, body: { billable_metric: { code: 'usage' } } }),
    '/v1/billing/meters': () => ({ status: 200, body: { object: 'list', data: [{ event_name: 'usage' }] } }),
    '/v1/billing/meter_events'(text) {
      const event = Object.fromEntries(new URLSearchParams(text));
      const id = event['identifier'] ?? '';
      const refused = (message: string) => ({
        status: 400,
        body: { error: { type: 'invalid_request_error', message } },
      });
      if (wrong.has(event['payload[stripe_customer_id]'] ?? ''))
        return refused('No such customer: the customer is deleted');
      if (seen.has(id)) {
        state.repeated++;
        return refused(`An event already exists with identifier ${id}.`);
      }
      return { status: 200, body: { object: 'billing.meter_event', identifier: id }, receipts: [{ id, event }] };
    },
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on a TCP port
  return {
    url: `http://127.0.0.1:${port}`,
    taken,
    faults,
    wrong,
    headers,
    state,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(
  response: ServerResponse,
  status: number,
  json: object | undefined,
  more: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...more });
  response.end(json && JSON.stringify(json));
}
