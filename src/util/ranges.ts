/** Numbers of rows: at least `from`, and below `to`. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** Times [Unix s]: at least `from`, and before `to`. */
export type Period = NumberRange;
