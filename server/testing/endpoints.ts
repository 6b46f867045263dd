import type { Endpoint } from '@relay-hub/contract';
import * as contract from '@relay-hub/contract';

/** Every endpoint that the contract declares, in whatever `…Api` it stands. */
export const allEndpoints: Endpoint[] = Object.entries(contract)
  .filter(([name]) => name.endsWith('Api'))
  .flatMap(([, api]) => Object.values(api as unknown as Record<string, Endpoint>)); // named so, and nothing else in them

/** A path of an endpoint that names no record there is. */
export const anyPath = ({ path }: Endpoint): string => path.replace(/:(\w+)/g, '987654321');
