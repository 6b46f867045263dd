import type { Page } from '@playwright/test';

/** Values and locators that several specs share. */
export const phone = { width: 390, height: 844 };
export const menu = (page: Page) => page.getByRole('navigation', { name: 'Main menu' });
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
