import { expect, test } from 'vitest';
import { providersPage } from './providers-page.ts';

test('the page in docs matches the code; vitest -u writes it', async () => {
  await expect(providersPage()).toMatchFileSnapshot('../../../docs/providers.md');
});
