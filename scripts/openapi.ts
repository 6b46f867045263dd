import { allEndpoints } from '@relay-hub/contract/registry';
import { openApiDocument } from '../server/src/features/api-docs/open-api.ts';

/** Prints the OpenAPI document of the management API. */
process.stdout.write(`${JSON.stringify(openApiDocument(allEndpoints), null, 2)}\n`);
