import type { Page } from '@playwright/test';

/** Values and locators that several specs share. */
export const desk = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };
export const menu = (page: Page) => page.getByRole('navigation', { name: 'Main menu' });
export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
