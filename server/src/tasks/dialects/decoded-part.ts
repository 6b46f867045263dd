/** A decoded part of a path; undefined for a wrong encoding. */
export function decodedPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
