import type { Page } from '@playwright/test';

/** What more than one journey looks for around the screens. */
export const phone = { width: 390, height: 844 };
export const menu = (page: Page) => page.getByRole('navigation', { name: 'Main menu' });
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
