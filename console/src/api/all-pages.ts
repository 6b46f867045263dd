/** The largest page that the API returns. */
export const largestPage = 100;

interface Part<Row> {
  data: readonly Row[];
  total_count: number;
}

/** Rows of every page of a list; `fetchPage` is called until nothing is left. */
export async function allPages<Row>(
  fetchPage: (part: { page: number; size: number }) => Promise<Part<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const { data, total_count } = await fetchPage({ page, size: largestPage });
    rows.push(...data);
    if (data.length < largestPage || rows.length >= total_count) return rows;
  }
}
