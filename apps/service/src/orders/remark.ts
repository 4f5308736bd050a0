/** Who changes the order and their remark: stored in the order's history and in the event log. */
export interface Remark {
  readonly text: string
  readonly actor: string
  readonly request_id: string
}
