import type { Endpoint } from '@relay-hub/contract';
import * as contract from '@relay-hub/contract';

/** Every endpoint in the contract's `…Api` objects. */
export const allEndpoints: Endpoint[] = Object.entries(contract)
  .filter(([name]) => name.endsWith('Api'))
  .flatMap(([, api]) => Object.values(api as unknown as Record<string, Endpoint>)); // named so, and containing only endpoints

/** An endpoint's path with an id that does not exist. */
export const anyPath = ({ path }: Endpoint): string => path.replace(/:(\w+)/g, '987654321');
