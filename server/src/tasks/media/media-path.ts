/** Path of a result file, which its signature opens without a key. */
export const mediaPath = (taskId: string, index: number): string => `/media/${taskId}/${index}`;

/** The same for the preview of a file. */
export const coverPath = (taskId: string, index: number): string => `/media/${taskId}/${index}/cover`;
