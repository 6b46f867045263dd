import { allEndpoints } from '@relay-hub/contract/registry';
import { refusalCodesOf } from '#features/api-docs/documented-refusals.ts';

const operations = allEndpoints
  .map((endpoint) => ({
    operation: endpoint.name,
    method: endpoint.method,
    pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+').replace(/\/$/, '')}/?$`),
    codes: new Set<string>(refusalCodesOf(endpoint)),
    isFixed: !endpoint.path.includes(':'),
  }))
  // A fixed path has precedence over one with parameters, as in the router.
  .toSorted((a, b) => Number(b.isFixed) - Number(a.isFixed));

/** Throws if an operation of the API reference refused with a code that the reference does not list. */
export function ensureDocumented(method: string, target: string, code: string): void {
  const path = target.split('?')[0] ?? '';
  const found = operations.find((each) => each.method === method && each.pattern.test(path));
  if (found && !found.codes.has(code))
    throw new Error(`${found.operation} refuses with ${code}: list it in api-docs/declared-refusals.ts`);
}
