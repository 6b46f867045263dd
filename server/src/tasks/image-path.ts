/** Path of a task's picture in the API of callers. */
export const imagePath = (taskId: string): string => `/mj/image/${taskId}`;
