import { allEndpoints } from '@relay-hub/contract/registry';
import { readCommand } from '../server/src/process/command-line.ts';
import { openApiDocument } from '../server/src/features/api-docs/open-api.ts';

readCommand({ name: 'tool openapi', about: 'Prints the OpenAPI document of the management API.' });

process.stdout.write(`${JSON.stringify(openApiDocument(allEndpoints), null, 2)}\n`);
