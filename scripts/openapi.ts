import * as contract from '@relay-hub/contract';
import { openApiDocument } from '../server/src/features/api-docs/open-api.ts';

/** Prints the OpenAPI document of the management API. */
const endpoints = Object.entries(contract)
  .filter(([name]) => name.endsWith('Api'))
  .flatMap(([, api]) => Object.values(api as Record<string, contract.Endpoint>));
process.stdout.write(`${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`);
