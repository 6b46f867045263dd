import type { APIRequestContext } from '@playwright/test';

/** The `data` member of the response envelope. */
export async function dataOf<T>(answer: ReturnType<APIRequestContext['get']>): Promise<T> {
  const response = await answer;
  const body = (await response.json()) as { success: boolean; message: string; data: T };
  if (!body.success) throw new Error(`${response.url()}: ${body.message}`);
  return body.data;
}
