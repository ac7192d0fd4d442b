itarget datalayout = "e-m:e-p:32:32-i64:64-v128:64-a:0:32-n32-S64"
define i64 @f(i32 %x, i64 %y, <4 x half> %v, ptr %p) {
entry:
  %c = icmp slt i64 %y, 7
  br i1 %c, label %a, label %b
a:
  %l = load i16, ptr %p, align 1
  %z = zext i16 %l to i64
  br label %b
b:
  %r = phi i64 [ %y, %entry ], [ %z, %a ]
  %e = extractelement <4 x half> %v, i32 2
  %w = fptosi half %e to i64
  %s = mul i64 %w, %r
  store <4 x half> %v, ptr %p, align 2
  ret i64 %s
}
define float @g(<2 x float> %a, i1 %t) {
  %x = shufflevector <2 x float> %a, <2 x float> zeroinitializer, <4 x i32> <i32 1, i32 0, i32 3, i32 2>
  %y = extractelement <4 x float> %x, i32 1
  %z = select i1 %t, float %y, float 2.0
  ret float %z
}
